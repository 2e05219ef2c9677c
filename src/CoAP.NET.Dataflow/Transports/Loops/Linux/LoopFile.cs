namespace CoAP.NET.Transports;

/// <summary>
/// A descriptor that a loop watches: a UDP socket, a listening TCP socket, a TCP connection. Everything in it belongs to the thread that
/// holds the role of the loop, unless it says otherwise.
/// </summary>
internal abstract class LoopFile
{
    private int _called;

    protected LoopFile(LoopOwner owner) => Owner = owner;

    public LoopOwner Owner { get; }

    /// <summary>
    /// By which number the operating system names it in events; never used twice, so that a late event of a closed descriptor finds
    /// nothing.
    /// </summary>
    public long Id { get; set; }

    /// <summary>The events that were seen and not served yet.</summary>
    public uint Events { get; set; }

    /// <summary>Whether it waits for its turn.</summary>
    public bool IsQueued { get; set; }

    /// <summary>Marks that another thread wants it looked after. For all threads.</summary>
    /// <returns>Whether it was not marked before.</returns>
    public bool TryMarkCalled() => Interlocked.Exchange(ref _called, 1) == 0;

    public void ClearCalled() => Interlocked.Exchange(ref _called, 0);

    /// <summary>Its turn: something is to be read or written, as far as known.</summary>
    /// <param name="loop">The loop.</param>
    /// <param name="role">The thread's hold on it.</param>
    /// <returns>False when the thread has lost the role.</returns>
    public abstract bool Serve(EpollLoop loop, ReceiveRole role);

    /// <summary>Looks after what <see cref="EpollLoop.Call"/> was about.</summary>
    /// <param name="loop">The loop.</param>
    /// <param name="role">The thread's hold on it.</param>
    /// <returns>False when the thread has lost the role.</returns>
    public virtual bool Attend(EpollLoop loop, ReceiveRole role) => true;

    /// <summary>
    /// Whether the operating system still watches it for the loop. One that was closed by somebody else is told by no event.
    /// </summary>
    /// <param name="loop">The loop.</param>
    /// <returns>0, or the error.</returns>
    public virtual int Check(EpollLoop loop) => 0;

    /// <summary>It is not ours any more, so that not even its number may be used.</summary>
    /// <param name="error">The error.</param>
    public virtual void OnLost(int error)
    {
    }

    /// <summary>The transport closes: the loop is to forget it, now or when it has ended.</summary>
    /// <param name="loop">The loop.</param>
    public abstract void Detach(EpollLoop loop);
}
