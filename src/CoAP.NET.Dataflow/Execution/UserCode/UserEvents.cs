namespace CoAP.NET;

/// <summary>Raises events that users listen to. What a handler throws is counted and logged; the others are called as well.</summary>
internal static class UserEvents
{
    /// <summary>Calls the handlers of an event, each by itself. No lock may be held.</summary>
    /// <typeparam name="T">What the event tells.</typeparam>
    /// <param name="environment">For counters and log.</param>
    /// <param name="name">The event.</param>
    /// <param name="handlers">Its handlers.</param>
    /// <param name="sender">Who raises it.</param>
    /// <param name="argument">What it tells.</param>
    public static void Raise<T>(CoapEnvironment environment, string name, EventHandler<T> handlers, object sender, T argument)
    {
        // Nothing is allocated for it: a server that starts with the sessions of very many clients tells of each.
        foreach (EventHandler<T> handler in Delegate.EnumerateInvocationList(handlers))
        {
            Run(environment, name, static call => call.Handler(call.Sender, call.Argument),
                (Handler: handler, Sender: sender, Argument: argument));
        }
    }

    /// <summary>Runs what belongs to an event, such as callbacks of its token. No lock may be held.</summary>
    /// <param name="environment">For counters and log.</param>
    /// <param name="name">The event.</param>
    /// <param name="code">What runs.</param>
    public static void Run(CoapEnvironment environment, string name, Action code) =>
        Run(environment, name, static action => action(), code);

    private static void Run<TState>(CoapEnvironment environment, string name, Action<TState> code, TState state)
    {
        UserCode.Enter();
        try
        {
            code(state);
        }
#pragma warning disable CA1031 // a handler of a user must not cost a peer its connection, nor keep the news from others
        catch (Exception exception)
#pragma warning restore CA1031
        {
            environment.Counters.Add(CoapCounter.HandlerErrors);
            Log.PeerHandlerFailed(environment.Logger, exception, name);
        }
        finally
        {
            UserCode.Exit();
        }
    }
}
