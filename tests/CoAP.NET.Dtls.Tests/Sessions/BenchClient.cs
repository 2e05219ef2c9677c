using CoAP.NET.Dtls.Handshakes;
using CoAP.NET.Dtls.Records;
using CoAP.NET.Dtls.Sessions;

namespace CoAP.NET.Dtls.Tests.Sessions;

/// <summary>A client of a <see cref="ServerBench"/>.</summary>
internal sealed class BenchClient(ServerBench bench, DtlsPath path, string identity, byte[] key, bool withCid) : IDtlsSink
{
    public ClientHandshake Handshake { get; } = new(bench.ClientContext, withCid ? [] : null, identity, key);

    public DtlsPath Path { get; set; } = path;

    public DtlsSession? Session { get; private set; }

    public List<byte[]> Received { get; } = [];

    public List<byte[]> Sent { get; } = [];

    public List<DtlsEnd> Ends { get; } = [];

    public void Receive(byte[] datagram)
    {
        if (Session is { } session)
        {
            for (int offset = 0; offset < datagram.Length && RecordHeader.TryRead(datagram.AsSpan(offset), 0, out RecordHeader header);)
            {
                int length = header.HeaderLength + header.Length;
                session.Receive(header, datagram.AsSpan(offset, length), Path);
                offset += length;
            }

            return;
        }

        Handshake.Receive(datagram);
        Flush();
        if (Handshake.Status == HandshakeStatus.Done)
        {
            Session = new DtlsSession(Handshake.Establish(), Path, this, bench.Clock);
        }
    }

    public void Flush()
    {
        foreach (byte[] datagram in Handshake.TakeOutput())
        {
            Sent.Add(datagram);
            bench.Server.Receive(Path, [.. datagram]);
        }
    }

    void IDtlsSink.Send(in DtlsPath path, ReadOnlySpan<byte> datagram)
    {
        Sent.Add(datagram.ToArray());
        bench.Server.Receive(Path, datagram.ToArray());
    }

    void IDtlsSink.Opened(DtlsSession session)
    {
    }

    void IDtlsSink.Received(DtlsSession session, in DtlsPath path, ReadOnlySpan<byte> content) => Received.Add(content.ToArray());

    void IDtlsSink.Moved(DtlsSession session, in DtlsPath from)
    {
    }

    void IDtlsSink.Closed(DtlsSession session, DtlsEnd reason) => Ends.Add(reason);
}
