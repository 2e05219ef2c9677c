namespace CoAP.NET.Dtls.Sessions;

/// <content>What the table keeps of a session, in the session: under the lock of the table.</content>
internal sealed partial class DtlsSession : IShared
{
    private long _touched;
    private uint _source;
    private bool _isHidden;

    /// <summary>Whether the table has it.</summary>
    public bool IsListed { get; set; }

    /// <summary>Where its peer is, as <see cref="SourceKeys"/> has it.</summary>
    public uint Source
    {
        get => _source;
        set => _source = value;
    }

    /// <summary>When it was last heard of.</summary>
    public long LastOfUse => LastReceived;

    /// <summary>The one that was not heard of for longer.</summary>
    public DtlsSession? Older { get; set; }

    /// <summary>The one that was heard of later.</summary>
    public DtlsSession? Newer { get; set; }

    /// <summary>When it was last put at the end of the order, by the clock's timestamp. Read without the lock.</summary>
    public long Touched
    {
        get => Volatile.Read(ref _touched);
        set => Volatile.Write(ref _touched, value);
    }

    /// <summary>Whether another session was heard later from the path that it has. Read without the lock.</summary>
    public bool IsHidden
    {
        get => Volatile.Read(ref _isHidden);
        set => Volatile.Write(ref _isHidden, value);
    }
}
