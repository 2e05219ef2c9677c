using CoAP.NET.Transports;

namespace CoAP.NET;

/// <summary>
/// The mark of a thread that works on what a connection received: user code is told from stage code by it. Nobody takes the thread's work over here; a handler that
/// blocks holds up its own connection and one thread of the pool, and is given threads of the library when it does so again and again.
/// </summary>
internal sealed class AsyncReceiveRole : IReceiveRole
{
    [ThreadStatic]
    private static AsyncReceiveRole? t_spare;

    private AsyncConnection? _connection;
    private int _depth;

    /// <summary>Runs the frames that a connection holds on this thread.</summary>
    public static void Run(AsyncConnection connection)
    {
        IReceiveRole? outer = UserCode.Role;
        AsyncReceiveRole role = t_spare ?? new AsyncReceiveRole();
        t_spare = null;
        role._connection = connection;
        UserCode.Role = role;
        StageTime.Begin();
        try
        {
            connection.RunFrames();
        }
        finally
        {
            StageTime.End();
            UserCode.Role = outer;
            if (role._depth != 0)
            {
                role._depth = 0;
                connection.LeaveUserCode();
            }

            role._connection = null;
            t_spare = role;
        }
    }

    // Nobody would take over what the connection received.
    public bool MayRunContinuations => false;

    public bool EnterUserCode()
    {
        if (_depth++ != 0)
        {
            return false;
        }

        _connection?.EnterUserCode();
        return true;
    }

    // How long it took is for who asks the clock now: nobody watched.
    public UserCodeEnd ExitUserCode()
    {
        if (_depth == 0 || --_depth != 0)
        {
            return UserCodeEnd.Nested;
        }

        _connection?.ExitUserCode();
        return UserCodeEnd.Late;
    }
}
