namespace CoAP.NET.Requests;

/// <summary>The decision of a step of <see cref="RequestRun"/>, with its data. Two words, so that it is returned in registers.</summary>
internal readonly struct StepOutcome
{
    // Depends on the kind: a request, a response, an exception or a task.
    private readonly object? _value;

    private StepOutcome(StepKind kind, object? value)
    {
        Kind = kind;
        _value = value;
    }

    /// <summary>The request continues unchanged.</summary>
    public static StepOutcome Go => default;

    /// <summary>The request continues unchanged; <see cref="RequestStep.Failed"/> is called if no response arrives.</summary>
    public static StepOutcome Watch => new(StepKind.Watch, null);

    public StepKind Kind { get; }

    /// <summary>
    /// The request to send; null for the current one. For <see cref="StepKind.Go"/>, <see cref="StepKind.Watch"/> and
    /// <see cref="StepKind.Again"/>.
    /// </summary>
    public OutgoingRequest? Request => (OutgoingRequest?)_value;

    /// <summary>The response. For <see cref="StepKind.Done"/>.</summary>
    public CoapResponse Response => (CoapResponse)_value!;

    /// <summary>The reason why there is no response. For <see cref="StepKind.Fail"/>.</summary>
    public Exception Exception => (Exception)_value!;

    /// <summary>The task to await. For <see cref="StepKind.Wait"/>.</summary>
    public Task<StepOutcome> Task => (Task<StepOutcome>)_value!;

    /// <summary>The task to await. For <see cref="StepKind.Converse"/>.</summary>
    public Task<CoapResponse> Conversation => (Task<CoapResponse>)_value!;

    /// <summary>Another request continues instead.</summary>
    public static StepOutcome GoWith(OutgoingRequest request) => new(StepKind.Go, request);

    /// <summary>Another request continues instead; <see cref="RequestStep.Failed"/> is called if no response arrives.</summary>
    public static StepOutcome WatchWith(OutgoingRequest request) => new(StepKind.Watch, request);

    /// <summary>A request goes through the steps below again.</summary>
    public static StepOutcome Again(OutgoingRequest request) => new(StepKind.Again, request);

    /// <summary>The step above gets the response.</summary>
    public static StepOutcome Done(CoapResponse response) => new(StepKind.Done, response);

    /// <summary>The step above gets the failure.</summary>
    public static StepOutcome Fail(Exception exception) => new(StepKind.Fail, exception);

    /// <summary>The step decides later.</summary>
    public static StepOutcome Wait(Task<StepOutcome> task) => new(StepKind.Wait, task);

    /// <summary>The step returns a response later.</summary>
    public static StepOutcome Wait(Task<CoapResponse> conversation) => new(StepKind.Converse, conversation);
}
