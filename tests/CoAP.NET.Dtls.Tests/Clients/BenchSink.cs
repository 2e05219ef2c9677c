namespace CoAP.NET.Dtls.Tests.Clients;

/// <summary>What one end of a <see cref="ClientBench"/> was told.</summary>
/// <param name="send">Sends a datagram.</param>
internal sealed class BenchSink(Action<DtlsPath, byte[]> send) : IDtlsSessionOutput
{
    private readonly Lock _gate = new();
    private readonly List<DtlsSession> _opened = [];
    private readonly List<(DtlsSession Session, byte[] Content)> _received = [];
    private readonly List<(DtlsSession Session, DtlsSessionEndReason Reason)> _closed = [];
    private readonly List<(DtlsSession Session, DtlsPath From)> _moves = [];

    /// <summary>Messages are counted only.</summary>
    public bool CountsOnly { get; set; }

    /// <summary>How many messages came while <see cref="CountsOnly"/>.</summary>
    public int Counted { get; private set; }

    public IReadOnlyList<DtlsSession> Opened => Copy(_opened);

    public IReadOnlyList<(DtlsSession Session, byte[] Content)> Received => Copy(_received);

    public IReadOnlyList<(DtlsSession Session, DtlsSessionEndReason Reason)> Closed => Copy(_closed);

    public IReadOnlyList<(DtlsSession Session, DtlsPath From)> Moves => Copy(_moves);

    void IDtlsSessionOutput.Send(in DtlsPath path, ReadOnlySpan<byte> datagram) => send(path, datagram.ToArray());

    void IDtlsSessionOutput.Opened(DtlsSession session) => Add(_opened, session);

    void IDtlsSessionOutput.Received(DtlsSession session, in DtlsPath path, ReadOnlySpan<byte> content)
    {
        if (CountsOnly)
        {
            Counted++;
        }
        else
        {
            Add(_received, (session, content.ToArray()));
        }
    }

    void IDtlsSessionOutput.Moved(DtlsSession session, in DtlsPath from) => Add(_moves, (session, from));

    void IDtlsSessionOutput.Closed(DtlsSession session, DtlsSessionEndReason reason) => Add(_closed, (session, reason));

    private void Add<T>(List<T> list, T item)
    {
        lock (_gate)
        {
            list.Add(item);
        }
    }

    private T[] Copy<T>(List<T> list)
    {
        lock (_gate)
        {
            return [.. list];
        }
    }
}
