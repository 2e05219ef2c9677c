namespace CoAP.NET.Execution;

/// <summary>
/// One thread's hold on a <see cref="ReceiveLoop"/>. Each hand-over creates a new one, so a thread that returns from blocked user code
/// finds its own hold taken and leaves the loop's state alone. While Running, that state belongs to the thread; while InUser, a stand-by
/// may take it.
/// </summary>
internal sealed class ReceiveLoopOwnership : IUserCodeTracker
{
    private const int Running = 0;
    private const int InUser = 1;
    private const int Taken = 2;

    private readonly Watchdog _watchdog;
    private int _state;
    private int _depth; // only for the thread itself

    public ReceiveLoopOwnership(ReceiveLoop loop)
    {
        Loop = loop;
        _watchdog = loop.Watchdog;
    }

    public ReceiveLoop Loop { get; }

    public bool IsHeld => Volatile.Read(ref _state) != Taken;

    public bool IsInUserCode => Volatile.Read(ref _state) == InUser;

    public bool IsCrowded => Loop.IsCrowded;

    /// <summary>
    /// Whether continuations of a response may run on this thread now: no user code encloses them, and a stand-by takes the role when they
    /// block.
    /// </summary>
    public bool MayRunContinuations => _depth == 0 && Volatile.Read(ref _state) == Running && Loop.HandsOver;

    public void EnterUserCode()
    {
        if (_depth++ == 0 && _state == Running)
        {
            Volatile.Write(ref _state, InUser);

            // No fence in between: the watchdog pays for one before it sleeps.
            _watchdog.EnsureAwake();
        }
    }

    public bool ExitUserCode()
    {
        if (_depth > 0 && --_depth == 0)
        {
            bool isHeld = Interlocked.CompareExchange(ref _state, Running, InUser) == InUser;
            return !isHeld || Loop.HasBeenLong || Loop.IsCrowded;
        }

        return true;
    }

    /// <summary>Ends all user code that began on this thread. Called when the pipeline has returned.</summary>
    /// <returns>False when the role was taken: the thread must not touch the loop any more.</returns>
    public bool ExitAll()
    {
        if (_depth != 0)
        {
            _depth = 0;
            Interlocked.CompareExchange(ref _state, Running, InUser);
        }

        return IsHeld;
    }

    /// <summary>Prevents a hand-over for a moment, so a stage that user code called may touch the loop's state.</summary>
    /// <param name="pinned">Whether <see cref="Unpin"/> must be called.</param>
    /// <returns>False when the role was taken.</returns>
    public bool BlockHandOver(out bool pinned)
    {
        pinned = false;
        int state = Volatile.Read(ref _state);
        if (state == InUser)
        {
            state = Interlocked.CompareExchange(ref _state, Running, InUser);
            pinned = state == InUser;
            return pinned;
        }

        return state == Running;
    }

    public void Unpin() => Volatile.Write(ref _state, InUser);

    /// <summary>Takes the role of a thread in user code. For stand-by threads.</summary>
    public bool TakeOver() => Interlocked.CompareExchange(ref _state, Taken, InUser) == InUser;
}
