using CoAP.NET.Execution;
using CoAP.NET.Resources;

namespace CoAP.NET.Simulation.Faults;

/// <summary>Threads of a user that throw when a fault is due, though they should say that there are none.</summary>
internal sealed class FaultScheduler(FaultInjector injector) : CoapThreadScheduler
{
    public const string ForHandlers = "CoapThreadScheduler.Queue, for a handler";
    public const string ForStandBys = "CoapThreadScheduler.Queue, for a stand-by of a loop";

    /// <summary>The threads.</summary>
    public CoapThreadPool Threads { get; } = new();

    public override bool Queue(Action<object?> work, object? state)
    {
        string? asker = work.Method.DeclaringType?.FullName;
        if (asker is not null && asker.Contains("HandlerWorkQueue"))
        {
            injector.Hit(ForHandlers);
        }
        else if (asker is not null && asker.Contains("ReceiveLoop"))
        {
            injector.Hit(ForStandBys);
        }

        return Threads.Queue(work, state);
    }
}
