namespace CoAP.NET.Transports.Loops;

/// <summary>
/// A descriptor that a loop watches: a UDP socket, a listening TCP socket, or a TCP connection. Its state belongs to the thread that holds
/// the role of the loop, unless stated otherwise.
/// </summary>
internal abstract class EpollWatchedDescriptor
{
    private int _called;

    protected EpollWatchedDescriptor(EpollTransportContext owner) => Owner = owner;

    public EpollTransportContext Owner { get; }

    /// <summary>
    /// The number that identifies it in events of the operating system. Never reused, so a late event of a closed descriptor finds nothing.
    /// </summary>
    public long Id { get; set; }

    /// <summary>The pending events.</summary>
    public uint Events { get; set; }

    public bool IsQueued { get; set; }

    /// <summary>Marks it for attention by the loop. Thread-safe.</summary>
    /// <returns>False if it was already marked.</returns>
    public bool TryMarkCalled() => Interlocked.Exchange(ref _called, 1) == 0;

    public void ClearCalled() => Interlocked.Exchange(ref _called, 0);

    /// <summary>Serves its turn: it is probably readable or writable.</summary>
    /// <param name="loop">The loop.</param>
    /// <param name="role">The thread's hold on it.</param>
    /// <returns>False when the thread has lost the role.</returns>
    public abstract bool Serve(EpollLoop loop, ReceiveLoopOwnership role);

    /// <summary>Handles an <see cref="EpollLoop.Call"/>.</summary>
    /// <param name="loop">The loop.</param>
    /// <param name="role">The thread's hold on it.</param>
    /// <returns>False when the thread has lost the role.</returns>
    public virtual bool Attend(EpollLoop loop, ReceiveLoopOwnership role) => true;

    /// <summary>Whether the operating system still watches it for the loop. No event reports that other code closed it.</summary>
    /// <returns>0, or the error.</returns>
    public virtual int Check(EpollLoop loop) => 0;

    /// <summary>Handles a lost descriptor: not even its number may be used.</summary>
    public virtual void OnLost(int error)
    {
    }

    /// <summary>Detaches it from the loop, now or at its end, because the transport closes.</summary>
    public abstract void Detach(EpollLoop loop);
}
