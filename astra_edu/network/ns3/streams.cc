// The TCP connections of driver.cc, and the run.
namespace astra_edu
{
void
Stream::Connected(Ptr<Socket>)
{
    connected = true;
    opened = Simulator::Now().GetTimeStep();
    Write();
}

void
Stream::Write()
{
    while (connected && waiting)
    {
        uint64_t piece = std::min<uint64_t>({waiting, out->GetTxAvailable(), 1 << 20});
        if (!piece || out->Send(Create<Packet>(piece)) < 0)
        {
            return;
        }
        waiting -= piece;
    }
}

void
Stream::Read(Ptr<Socket> socket)
{
    while (Ptr<Packet> packet = socket->Recv())
    {
        uint64_t got = packet->GetSize();
        received += got;
        while (got)
        {
            auto& [number, left] = messages.front();
            uint64_t part = std::min(got, left);
            left -= part;
            got -= part;
            if (!left)
            {
                last = Simulator::Now().GetTimeStep();
                network->arrived.push_back(number);
                network->arrived.push_back(last);
                messages.pop_front();
                network->Pause();
            }
        }
        if (!packet->GetSize())
        {
            break;
        }
    }
    if (++network->reads % READS == 0)
    {
        network->Pause();
    }
}

void
Network::Send(int64_t now, uint32_t source, uint32_t destination, uint64_t bytes, int64_t number)
{
    while (Simulator::Now().GetTimeStep() < now)
    {
        Run(now);
    }
    auto& stream = streams[{source, destination}];
    bool fresh = !stream;
    if (fresh)
    {
        stream = std::make_unique<Stream>();
        stream->network = this;
    }
    stream->messages.emplace_back(number, bytes);
    stream->waiting += bytes;
    if (!fresh)
    {
        stream->Write();
        return;
    }
    uint16_t port = 1024 + source % 40000;
    auto listening = Socket::CreateSocket(nodes[destination], TcpSocketFactory::GetTypeId());
    listening->Bind(InetSocketAddress(Ipv4Address::GetAny(), port));
    listening->Listen();
    listening->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const ns3::Address&>(),
                                 MakeCallback(&Stream::Accepted, stream.get()));
    stream->out = Socket::CreateSocket(nodes[source], TcpSocketFactory::GetTypeId());
    stream->out->TraceConnectWithoutContext("Retransmission", MakeCallback(&Stream::Again, stream.get()));
    stream->out->TraceConnectWithoutContext("CongState", MakeCallback(&Stream::State, stream.get()));
    stream->out->Bind();
    stream->out->SetConnectCallback(MakeCallback(&Stream::Connected, stream.get()),
                                    MakeCallback(&Stream::Failed, stream.get()));
    stream->out->SetCloseCallbacks(MakeCallback(&Stream::Closed, stream.get()),
                                   MakeCallback(&Stream::Closed, stream.get()));
    stream->out->SetSendCallback(MakeCallback(&Stream::Room, stream.get()));
    stream->out->Connect(InetSocketAddress(Address(destination), port));
}

// Goes on until a message has arrived, `until` (ps) is reached, READS pieces were read, or nothing is left to do.
// Returns whether `until` is reached or nothing is left. A negative `until` is never reached.
bool
Network::Run(int64_t until)
{
    paused = false;
    EventId end;
    if (until >= 0)
    {
        end = Simulator::Stop(TimeStep(until) - Simulator::Now());
    }
    Simulator::Run();
    if (until >= 0 && paused)
    {
        Simulator::Cancel(end);
    }
    return !paused;
}

// What a run has come to, as numbers in a row for each port and each connection.
std::vector<std::vector<int64_t>>
Ports(const Network& network)
{
    std::vector<std::vector<int64_t>> rows;
    for (auto& port : network.ports)
    {
        rows.push_back({int64_t(port->sent_packets), int64_t(port->sent_bytes), int64_t(port->Dropped()),
                        int64_t(port->marked), int64_t(port->most)});
    }
    return rows;
}

std::vector<std::vector<int64_t>>
Connections(const Network& network)
{
    std::vector<std::vector<int64_t>> rows;
    for (auto& [ends, stream] : network.streams)
    {
        rows.push_back({ends.first, ends.second, int64_t(stream->received), stream->opened, stream->last,
                        int64_t(stream->retransmitted), int64_t(stream->recoveries), int64_t(stream->timeouts),
                        int64_t(stream->messages.size()), stream->failed});
    }
    return rows;
}

// The one network of this process; ns-3's simulator has no second one.
std::unique_ptr<Network> the_network;

void
Clear()
{
    Simulator::Destroy();
    the_network.reset();
    Config::Reset();
    RngSeedManager::SetSeed(1);
    RngSeedManager::SetRun(1);
    RngSeedManager::ResetNextStreamIndex();
}

Network&
Make(uint32_t nodes)
{
    the_network = std::make_unique<Network>(nodes);
    return *the_network;
}
} // namespace astra_edu
