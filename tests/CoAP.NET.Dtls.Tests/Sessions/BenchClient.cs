namespace CoAP.NET.Dtls.Tests.Sessions;

/// <summary>A client of servers on the same thread.</summary>
/// <param name="context">What handshakes of clients have in common.</param>
/// <param name="clock">The clock.</param>
/// <param name="send">Takes what it sends.</param>
internal sealed class BenchClient(
    SharedHandshakeContext context, TimeProvider clock, Action<DtlsPath, byte[]> send, DtlsPath path, string identity, byte[] key,
        bool withCid)
    : IDtlsSessionOutput
{
    public ClientHandshake Handshake { get; } = new(context, withCid ? [] : null, identity, key);

    public DtlsPath Path { get; set; } = path;

    public DtlsSession? Session { get; private set; }

    public List<byte[]> Received { get; } = [];

    public List<byte[]> Sent { get; } = [];

    public List<DtlsSessionEndReason> Ends { get; } = [];

    public void Receive(byte[] datagram)
    {
        if (Session is { } session)
        {
            for (int offset = 0; offset < datagram.Length && RecordHeader.TryRead(datagram.AsSpan(offset), 0, out RecordHeader header);)
            {
                int length = header.HeaderLength + header.Length;
                session.Receive(header, datagram.AsSpan(offset, length), Path);

                // The path has the address of the client itself, and no check of the server follows a move.
                session.LeaveFormerPath(Path.Remote);
                offset += length;
            }

            return;
        }

        Handshake.Receive(datagram);
        Handshake.Answer();
        Flush();
        if (Handshake.Status == HandshakeStatus.Done)
        {
            Session = new DtlsSession(Handshake.Establish(), Path, this, clock);
        }
    }

    public void Flush()
    {
        foreach (byte[] datagram in Handshake.TakeOutput())
        {
            Sent.Add(datagram);
            send(Path, [.. datagram]);
        }
    }

    void IDtlsSessionOutput.Send(in DtlsPath path, ReadOnlySpan<byte> datagram)
    {
        Sent.Add(datagram.ToArray());
        send(Path, datagram.ToArray());
    }

    void IDtlsSessionOutput.Opened(DtlsSession session)
    {
    }

    void IDtlsSessionOutput.Received(DtlsSession session, in DtlsPath path, ReadOnlySpan<byte> content) => Received.Add(content.ToArray());

    void IDtlsSessionOutput.Moved(DtlsSession session, in DtlsPath from)
    {
    }

    void IDtlsSessionOutput.Closed(DtlsSession session, DtlsSessionEndReason reason) => Ends.Add(reason);
}
