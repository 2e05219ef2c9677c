namespace CoAP.NET.Transports.Streams;

/// <summary>
/// The role of the thread that processes what an asynchronous connection received. No stand-by takes it over: a handler that blocks delays
/// its own connection and one thread, until it proves slow. On the thread of a loop, a stand-by takes over the loop.
/// </summary>
/// <param name="connection">The connection; one thread at a time processes it.</param>
internal sealed class AsyncConnectionUserCodeTracker(AsyncIOConnection connection) : IUserCodeTracker
{
    private IUserCodeTracker? _outer;
    private int _depth;

    public bool IsCrowded => _outer is { IsCrowded: true };

    /// <summary>Processes the frames of the connection on this thread.</summary>
    public void Run()
    {
        _outer = UserCodeScope.Role;
        UserCodeScope.Role = this;
        try
        {
            connection.RunFrames();
        }
        finally
        {
            UserCodeScope.Role = _outer;
            _outer = null;
            if (_depth != 0)
            {
                _depth = 0;
                connection.LeaveUserCode();
            }
        }
    }

    public void EnterUserCode()
    {
        if (_depth++ == 0)
        {
            connection.EnterUserCode();
            _outer?.EnterUserCode();
        }
    }

    // No watchdog runs here, so callers read the clock.
    public bool ExitUserCode()
    {
        if (_depth > 0 && --_depth == 0)
        {
            _outer?.ExitUserCode();
            connection.ExitUserCode();
        }

        return true;
    }
}
