// Byte streams over TCP for ns-3's Python bindings, and counters on sockets and queues. Compiled by cppyy when loaded.
#include <deque>
#include <functional>
#include <vector>

namespace reference
{
using namespace ns3;

// A TCP connection from one node to another. Messages are counted by the receiver; each has its time of arrival in ns.
struct Stream
{
    Ptr<Node> source, sink;
    Ipv4Address to;
    uint16_t port;
    Ptr<Socket> out, listening, in;
    uint64_t waiting{0}, received{0}, sent{0};
    uint32_t retransmitted{0}, timeouts{0}, recoveries{0};
    std::deque<uint64_t> expected;
    std::vector<int64_t> arrivals;
    std::function<void()> arrived;

    Stream(Ptr<Node> a, Ptr<Node> b, Ipv4Address address, uint16_t number)
        : source(a), sink(b), to(address), port(number)
    {
        listening = Socket::CreateSocket(sink, TcpSocketFactory::GetTypeId());
        listening->Bind(InetSocketAddress(Ipv4Address::GetAny(), port));
        listening->Listen();
        listening->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                     MakeCallback(&Stream::Accepted, this));
    }

    void Accepted(Ptr<Socket> socket, const Address&)
    {
        in = socket;
        in->SetRecvCallback(MakeCallback(&Stream::Read, this));
    }

    void Send(uint64_t bytes)
    {
        expected.push_back(bytes);
        waiting += bytes;
        if (!out)
        {
            out = Socket::CreateSocket(source, TcpSocketFactory::GetTypeId());
            out->TraceConnectWithoutContext("Retransmission", MakeCallback(&Stream::Again, this));
            out->TraceConnectWithoutContext("CongState", MakeCallback(&Stream::State, this));
            out->Bind();
            out->SetConnectCallback(MakeCallback(&Stream::Fill, this), MakeNullCallback<void, Ptr<Socket>>());
            out->SetSendCallback(MakeCallback(&Stream::Room, this));
            out->Connect(InetSocketAddress(to, port));
        }
        else if (connected)
        {
            Write();
        }
    }

    bool connected{false};

    void Fill(Ptr<Socket>)
    {
        connected = true;
        Write();
    }

    void Room(Ptr<Socket>, uint32_t)
    {
        if (connected)
        {
            Write();
        }
    }

    void Write()
    {
        while (waiting)
        {
            uint64_t piece = std::min<uint64_t>({waiting, out->GetTxAvailable(), 65536});
            if (!piece || out->Send(Create<Packet>(piece)) < 0)
            {
                return;
            }
            waiting -= piece;
            sent += piece;
        }
    }

    void Read(Ptr<Socket> socket)
    {
        while (Ptr<Packet> packet = socket->Recv())
        {
            if (!packet->GetSize())
            {
                return;
            }
            received += packet->GetSize();
            uint64_t got = packet->GetSize();
            while (got)
            {
                uint64_t part = std::min(got, expected.front());
                expected.front() -= part;
                got -= part;
                if (!expected.front())
                {
                    expected.pop_front();
                    arrivals.push_back(Simulator::Now().GetNanoSeconds());
                    if (arrived)
                    {
                        arrived();
                    }
                }
            }
        }
    }

    void Again(Ptr<const Packet>, const TcpHeader&, const Address&, const Address&, Ptr<const TcpSocketBase>)
    {
        ++retransmitted;
    }

    void State(TcpSocketState::TcpCongState_t, TcpSocketState::TcpCongState_t now)
    {
        timeouts += now == TcpSocketState::CA_LOSS;
        recoveries += now == TcpSocketState::CA_RECOVERY;
    }

    void SendAt(int64_t ns, uint64_t bytes)
    {
        Simulator::Schedule(NanoSeconds(ns), &Stream::Send, this, bytes);
    }
};

// Ring all-reduce: in every step each NPU sends a chunk to the next, and the next step begins when one has come.
struct Ring
{
    std::vector<Stream*> streams; // streams[i] goes from NPU i to NPU i + 1
    uint64_t chunk;
    uint32_t steps;
    std::vector<uint32_t> done;
    std::vector<int64_t> finished;

    Ring(std::vector<Stream*> all, uint64_t bytes, uint32_t count)
        : streams(all), chunk(bytes), steps(count), done(all.size()), finished(all.size())
    {
        for (size_t i = 0; i < streams.size(); ++i)
        {
            streams[i]->arrived = [this, i] { Next((i + 1) % streams.size()); };
            streams[i]->SendAt(0, chunk);
        }
    }

    void Next(size_t npu)
    {
        if (++done[npu] < steps)
        {
            streams[npu]->Send(chunk);
        }
        else
        {
            finished[npu] = Simulator::Now().GetNanoSeconds();
        }
    }
};

// Stops the run when every stream has brought `messages` messages, looking every 10 us.
inline void
Watch(std::vector<Stream*> streams, uint32_t messages)
{
    for (auto stream : streams)
    {
        if (stream->arrivals.size() < messages)
        {
            Simulator::Schedule(MicroSeconds(10), &Watch, streams, messages);
            return;
        }
    }
    Simulator::Stop();
}

// What a port's queue has gone through: its device's, and its queue disc's where there is one.
struct Port
{
    uint32_t device_bytes{0}, disc_bytes{0}, most{0}, dropped_device{0}, dropped_disc{0}, marked{0};
    uint64_t sent_bytes{0};

    Port(Ptr<NetDevice> any, Ptr<QueueDisc> disc)
    {
        auto device = DynamicCast<PointToPointNetDevice>(any);
        auto queue = device->GetQueue();
        queue->TraceConnectWithoutContext("BytesInQueue", MakeCallback(&Port::Device, this));
        queue->TraceConnectWithoutContext("Drop", MakeCallback(&Port::DropDevice, this));
        device->TraceConnectWithoutContext("PhyTxEnd", MakeCallback(&Port::Sent, this));
        if (disc)
        {
            disc->TraceConnectWithoutContext("BytesInQueue", MakeCallback(&Port::Disc, this));
            disc->TraceConnectWithoutContext("Drop", MakeCallback(&Port::DropDisc, this));
            disc->TraceConnectWithoutContext("Mark", MakeCallback(&Port::Mark, this));
        }
    }

    void Device(uint32_t, uint32_t now)
    {
        device_bytes = now;
        most = std::max(most, device_bytes + disc_bytes);
    }

    void Disc(uint32_t, uint32_t now)
    {
        disc_bytes = now;
        most = std::max(most, device_bytes + disc_bytes);
    }

    void DropDevice(Ptr<const Packet>)
    {
        ++dropped_device;
    }

    void DropDisc(Ptr<const QueueDiscItem>)
    {
        ++dropped_disc;
    }

    void Mark(Ptr<const QueueDiscItem>, const char*)
    {
        ++marked;
    }

    void Sent(Ptr<const Packet> packet)
    {
        sent_bytes += packet->GetSize();
    }
};
} // namespace reference
