namespace CoAP.NET.Execution;

/// <summary>Raises events of the application. Exceptions of handlers are counted and logged; the other handlers are still called.</summary>
internal static class UserEvents
{
    /// <summary>Calls the handlers of an event, each separately. The caller must hold no lock.</summary>
    /// <typeparam name="T">The type of the event argument.</typeparam>
    /// <param name="environment">The environment, for counters and log.</param>
    /// <param name="name">The event.</param>
    /// <param name="handlers">Its handlers.</param>
    /// <param name="sender">The sender of the event.</param>
    /// <param name="argument">The event argument.</param>
    public static void Raise<T>(CoapEnvironment environment, string name, EventHandler<T> handlers, object sender, T argument)
    {
        // Allocates nothing: a server that starts with the sessions of very many clients raises an event for each.
        foreach (EventHandler<T> handler in Delegate.EnumerateInvocationList(handlers))
        {
            Run(environment, name, static call => call.Handler(call.Sender, call.Argument),
                (Handler: handler, Sender: sender, Argument: argument));
        }
    }

    /// <summary>Runs code that belongs to an event, such as callbacks of its token. The caller must hold no lock.</summary>
    /// <param name="environment">The environment, for counters and log.</param>
    /// <param name="name">The event.</param>
    /// <param name="code">The code.</param>
    public static void Run(CoapEnvironment environment, string name, Action code) =>
        Run(environment, name, static action => action(), code);

    private static void Run<TState>(CoapEnvironment environment, string name, Action<TState> code, TState state)
    {
        UserCodeScope.Enter();
        try
        {
            code(state);
        }
#pragma warning disable CA1031 // a handler of the application must not cost a peer its connection, nor keep the event from other handlers
        catch (Exception exception)
#pragma warning restore CA1031
        {
            environment.Counters.Add(CoapCounter.HandlerErrors);
            Log.PeerHandlerFailed(environment.Logger, exception, name);
        }
        finally
        {
            UserCodeScope.Exit();
        }
    }
}
