namespace CoAP.NET.Simulation.Faults;

/// <summary>One fault and the client whom it hits.</summary>
internal sealed class FaultProbe(FaultRig rig, UserCodeCall place, FaultClient client, FaultKind kind)
{
    private static readonly TimeSpan s_guard = TimeSpan.FromMinutes(2);
    private static readonly TimeSpan s_look = TimeSpan.FromMilliseconds(2);

    public FaultRig Rig => rig;

    public FaultClient Client => client;

    /// <summary>The fault; null before <see cref="Arm"/>.</summary>
    public ArmedFault? Fault { get; private set; }

    /// <summary>What the one who was hit saw.</summary>
    public string Outcome { get; set; } = "";

    /// <summary>Waits for what another thread does.</summary>
    /// <param name="condition">What is waited for.</param>
    /// <param name="what">The finding when it does not happen.</param>
    /// <param name="patience">How long to wait; null as long as a busy machine may need.</param>
    public static async Task UntilAsync(Func<bool> condition, string what, TimeSpan? patience = null)
    {
        Watch start = new();
        while (!condition())
        {
            if (start.Elapsed > (patience ?? s_guard))
            {
                throw new FaultFinding(what);
            }

            await Task.Delay(s_look, TimeProvider.System);
        }
    }

    /// <summary>From now on the next one at the place is hit.</summary>
    /// <param name="port">The port of the one who is meant; 0: whoever comes.</param>
    public void Arm(int port = 0) => Fault = rig.Injector.Arm(place.Name, kind, port);

    /// <summary>Asks, and notes what came of it.</summary>
    public async Task AskAsync(CoapMethod method, string path, CoapContent? content, params string[] allowed)
    {
        Outcome = await client.OutcomeAsync(method, path, content);
        Expect(allowed);
    }

    /// <summary>Arms, and does something of which the caller has to get the exception itself.</summary>
    public async Task ArmAndThrowAsync(Func<Task> action)
    {
        Arm();
        try
        {
            await action().WaitAsync(s_guard);
            Outcome = "nothing";
        }
        // What was thrown is looked at.
        catch (Exception exception)
        {
            // Of a cancellation only the type is sure to arrive.
            bool isMine = IInjected.Of(exception).Any(injected => injected.Number == Fault!.Number)
                || (kind != FaultKind.Throw && exception is OperationCanceledException);
            Outcome = isMine ? "the exception" : exception.ToString();
        }

        Expect("the exception");
    }

    /// <summary>Holds <see cref="Outcome"/> against what it may be.</summary>
    public void Expect(params string[] allowed)
    {
        if (!allowed.Contains(Outcome))
        {
            throw new FaultFinding($"the one who was hit saw '{Outcome}' and not {string.Join(" or ", allowed)}");
        }
    }
}

/// <summary>Something was not as it has to be after a fault.</summary>
internal sealed class FaultFinding(string message) : Exception(message);
