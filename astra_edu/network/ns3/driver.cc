// What runs inside ns-3: nodes, wires and TCP connections of an astra_edu network. Compiled by ns-3's Python bindings
// when a run begins. Times are in ps, as ns-3's resolution is set to; nothing here calls Python: Run() returns instead.
#include <deque>
#include <map>
#include <memory>
#include <vector>

namespace astra_edu
{
using namespace ns3;

// How many messages or pieces of them are read before Run() returns, so that a bar can be shown.
const uint32_t READS = 20000;

// Sends packets the way that the platform says, by their source and destination.
class Ways : public Ipv4RoutingProtocol
{
  public:
    Ptr<Ipv4> ipv4;
    std::map<uint64_t, uint32_t> interfaces;

    static uint64_t Key(Ipv4Address source, Ipv4Address destination)
    {
        return uint64_t(source.Get()) << 32 | destination.Get();
    }

    Ptr<Ipv4Route> Way(Ipv4Address source, Ipv4Address destination) const
    {
        auto found = interfaces.find(Key(source, destination));
        if (found == interfaces.end())
        {
            return nullptr;
        }
        auto route = Create<Ipv4Route>();
        route->SetSource(source);
        route->SetDestination(destination);
        route->SetGateway(Ipv4Address::GetZero());
        route->SetOutputDevice(ipv4->GetNetDevice(found->second));
        return route;
    }

    Ptr<Ipv4Route> RouteOutput(Ptr<Packet>, const Ipv4Header& header, Ptr<NetDevice>, Socket::SocketErrno& error) override
    {
        auto route = Way(ipv4->GetAddress(1, 0).GetLocal(), header.GetDestination());
        error = route ? Socket::ERROR_NOTERROR : Socket::ERROR_NOROUTETOHOST;
        return route;
    }

    bool RouteInput(Ptr<const Packet> packet,
                    const Ipv4Header& header,
                    Ptr<const NetDevice> device,
                    const UnicastForwardCallback& forward,
                    const MulticastForwardCallback&,
                    const LocalDeliverCallback& deliver,
                    const ErrorCallback&) override
    {
        if (header.GetDestination() == ipv4->GetAddress(1, 0).GetLocal())
        {
            deliver(packet, header, ipv4->GetInterfaceForDevice(device));
            return true;
        }
        auto route = Way(header.GetSource(), header.GetDestination());
        if (route)
        {
            forward(route, packet, header);
        }
        return bool(route);
    }

    void NotifyInterfaceUp(uint32_t) override {}
    void NotifyInterfaceDown(uint32_t) override {}
    void NotifyAddAddress(uint32_t, Ipv4InterfaceAddress) override {}
    void NotifyRemoveAddress(uint32_t, Ipv4InterfaceAddress) override {}
    void SetIpv4(Ptr<Ipv4> given) override { ipv4 = given; }
    void PrintRoutingTable(Ptr<OutputStreamWrapper>, Time::Unit) const override {}
};

// One direction of a wire: what its queue and its sender have gone through.
struct Port
{
    Ptr<PointToPointNetDevice> device;
    Ptr<QueueDisc> disc;
    uint64_t sent_packets{0}, sent_bytes{0}, marked{0};
    uint32_t queued[2]{0, 0}, most{0};

    void Sent(Ptr<const Packet> packet)
    {
        ++sent_packets;
        sent_bytes += packet->GetSize();
    }
    void InDevice(uint32_t, uint32_t now) { Queued(0, now); }
    void InDisc(uint32_t, uint32_t now) { Queued(1, now); }
    void Queued(int where, uint32_t now)
    {
        queued[where] = now;
        most = std::max(most, queued[0] + queued[1]);
    }
    void Mark(Ptr<const QueueDiscItem>, const char*) { ++marked; }
    uint64_t Dropped() const
    {
        return device->GetQueue()->GetTotalDroppedPackets() + (disc ? disc->GetStats().nTotalDroppedPackets : 0);
    }
};

struct Network;

// A TCP connection from one NPU to another, which stays open. Its receiver counts bytes to know a message's end.
struct Stream
{
    Network* network;
    Ptr<Socket> out;
    bool connected{false}, failed{false};
    uint64_t waiting{0}, retransmitted{0}, timeouts{0}, recoveries{0}, received{0};
    int64_t opened{0}, last{0};
    std::deque<std::pair<int64_t, uint64_t>> messages; // (number, bytes that haven't been read)

    void Connected(Ptr<Socket>);
    void Failed(Ptr<Socket>) { failed = true; }
    void Closed(Ptr<Socket>) { failed = true; }
    void Room(Ptr<Socket>, uint32_t) { Write(); }
    void Write();
    void Accepted(Ptr<Socket> socket, const Address&) { socket->SetRecvCallback(MakeCallback(&Stream::Read, this)); }
    void Read(Ptr<Socket> socket);
    void Again(Ptr<const Packet>, const TcpHeader&, const Address&, const Address&, Ptr<const TcpSocketBase>)
    {
        ++retransmitted;
    }
    void State(TcpSocketState::TcpCongState_t, TcpSocketState::TcpCongState_t now)
    {
        timeouts += now == TcpSocketState::CA_LOSS;
        recoveries += now == TcpSocketState::CA_RECOVERY;
    }
};

struct Network
{
    std::vector<Ptr<Node>> nodes;
    std::vector<Ptr<Ways>> ways;
    std::vector<std::unique_ptr<Port>> ports;
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> wires; // (from, to): the interface of from
    std::map<std::pair<uint32_t, uint32_t>, std::unique_ptr<Stream>> streams;
    std::vector<int64_t> arrived; // number, ps, number, ps, ...
    uint32_t reads{0};
    bool paused{false};

    explicit Network(uint32_t count)
    {
        for (uint32_t i = 0; i < count; ++i)
        {
            auto node = CreateObject<Node>();
            auto routing = CreateObject<Ways>();
            InternetStackHelper stack;
            stack.SetIpv6StackInstall(false);
            stack.Install(node);
            node->GetObject<Ipv4>()->SetRoutingProtocol(routing);
            nodes.push_back(node);
            ways.push_back(routing);
        }
    }

    static Ipv4Address Address(uint32_t node) { return Ipv4Address(0x0a000001 + node); }

    // One end of a wire. room: bytes; mark: bytes above which packets are marked, 0 for a plain queue.
    void End(Ptr<Node> node, Ptr<PointToPointNetDevice> device, uint64_t bits_per_s, uint16_t mtu, uint32_t room, uint32_t mark)
    {
        auto port = std::make_unique<Port>();
        auto queue = CreateObject<DropTailQueue<Packet>>();
        queue->SetMaxSize(mark ? QueueSize("1p") : QueueSize(QueueSizeUnit::BYTES, room));
        queue->TraceConnectWithoutContext("BytesInQueue", MakeCallback(&Port::InDevice, port.get()));
        device->SetDataRate(DataRate(bits_per_s));
        device->SetMtu(mtu);
        device->SetQueue(queue);
        device->SetAddress(Mac48Address::Allocate());
        device->TraceConnectWithoutContext("PhyTxEnd", MakeCallback(&Port::Sent, port.get()));
        node->AddDevice(device);
        auto ipv4 = node->GetObject<Ipv4>();
        uint32_t interface = ipv4->AddInterface(device);
        ipv4->AddAddress(interface, Ipv4InterfaceAddress(Address(node->GetId() - nodes[0]->GetId()), Ipv4Mask::GetOnes()));
        ipv4->SetUp(interface);
        if (mark)
        {
            auto queues = CreateObject<NetDeviceQueueInterface>();
            queues->GetTxQueue(0)->ConnectQueueTraces(queue);
            device->AggregateObject(queues);
            TrafficControlHelper control;
            control.SetRootQueueDisc("ns3::RedQueueDisc",
                                     "MaxSize", QueueSizeValue(QueueSize(QueueSizeUnit::BYTES, room)),
                                     "MinTh", DoubleValue(mark), "MaxTh", DoubleValue(mark), "QW", DoubleValue(1),
                                     "Gentle", BooleanValue(false), "UseEcn", BooleanValue(true),
                                     "UseHardDrop", BooleanValue(false));
            port->disc = control.Install(device).Get(0);
            port->disc->TraceConnectWithoutContext("BytesInQueue", MakeCallback(&Port::InDisc, port.get()));
            port->disc->TraceConnectWithoutContext("Mark", MakeCallback(&Port::Mark, port.get()));
        }
        port->device = device;
        ports.push_back(std::move(port));
    }

    void Wire(uint32_t a, uint32_t b, const std::vector<uint64_t>& bits_per_s, int64_t latency, uint16_t mtu,
              const std::vector<uint32_t>& room, const std::vector<uint32_t>& mark)
    {
        auto channel = CreateObject<PointToPointChannel>();
        channel->SetAttribute("Delay", TimeValue(PicoSeconds(latency)));
        uint32_t ends[2]{a, b};
        for (int k = 0; k < 2; ++k)
        {
            auto device = CreateObject<PointToPointNetDevice>();
            End(nodes[ends[k]], device, bits_per_s[k], mtu, room[k], mark[k]);
            device->Attach(channel);
            wires[{ends[k], ends[1 - k]}] = nodes[ends[k]]->GetObject<Ipv4>()->GetInterfaceForDevice(device);
        }
    }

    void Way(const std::vector<uint32_t>& way)
    {
        auto key = Ways::Key(Address(way.front()), Address(way.back()));
        for (size_t i = 0; i + 1 < way.size(); ++i)
        {
            ways[way[i]]->interfaces[key] = wires[{way[i], way[i + 1]}];
        }
    }

    void Send(int64_t now, uint32_t source, uint32_t destination, uint64_t bytes, int64_t number);
    void Pause()
    {
        paused = true;
        Simulator::Stop();
    }
    bool Run(int64_t until);
    std::vector<int64_t> Taken()
    {
        std::vector<int64_t> taken;
        taken.swap(arrived);
        return taken;
    }
};
} // namespace astra_edu
