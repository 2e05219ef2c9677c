namespace CoAP.NET.Benchmarks;

/// <summary>
/// One connection of a <see cref="MemoryStreamTransport"/>. Frames are shown to the pipeline where they lie, as a receive loop does.
/// </summary>
internal sealed class MemoryConnection(MemoryStreamTransport owner, CoapAddress remote, CoapAddress local, bool isInitiator)
    : CoapConnection(owner, remote, local, isInitiator)
{
    private readonly byte[] _buffer = new byte[2048];
    private CoapDatagram _view = CoapDatagram.MakeView();
    private long _received;
    private long _sent;
    private int _pauses;
    private bool _isClosed;

    public override bool IsCongested => false;

    public override CoapConnectionTransferProgress Progress => new(_received, 0, _sent, 0);

    /// <summary>Hands a whole frame in. The pipeline, and user code that does not await, have run when it returns.</summary>
    public void Deliver(ReadOnlySpan<byte> frame)
    {
        if (_isClosed || _pauses > 0 || owner.Context!.MeasureFrame(this, frame[..Math.Min(frame.Length, 8)], frame.Length) != frame.Length)
        {
            throw new InvalidOperationException($"The connection with {Remote} takes no frame of {frame.Length} bytes now.");
        }

        _received++;
        frame.CopyTo(_buffer);
        _view.Show(_buffer, 0, frame.Length);
        _view.Remote = Remote;
        _view.Local = Local;
        _view.Transport = Transport;
        _view.Channel = Channel;
        owner.Context.Receive(_view);
        if (!_view.TryTakeBack())
        {
            throw new InvalidOperationException("A block kept a frame.");
        }
    }

    public override void Send(CoapDatagram frame)
    {
        _sent += frame.Length;
        owner.Sent?.Invoke(frame.Span, this);
        frame.Dispose();
    }

    public override void PauseReading() => _pauses++;

    public override void ResumeReading() => _pauses--;

    public override void Close(CoapException? reason)
    {
        if (!_isClosed)
        {
            _isClosed = true;
            owner.Context!.Closed(this, reason);
        }
    }
}
