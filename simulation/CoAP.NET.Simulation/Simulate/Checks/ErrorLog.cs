namespace CoAP.NET.Simulation.Simulate;

/// <summary>The log of all nodes: what is an error and was not planned goes to whoever checks.</summary>
/// <param name="onError">Takes what was logged.</param>
internal sealed class ErrorLog(Action<string> onError) : BenchLog(LogLevel.Error)
{
    protected override void Keep(LogLevel level, EventId id, string text, Exception? exception)
    {
        if (exception is not PlannedException && id.Name != "HandlerReturnedNull")
        {
            onError($"{id.Name}: {text} {exception}");
        }
    }
}

/// <summary>What handlers throw on purpose; cancelled ones too, as nobody asked them to stop.</summary>
internal sealed class PlannedException() : OperationCanceledException("as planned");
