namespace CoAP.NET.Exchanges;

/// <summary>
/// The decision of a step of <see cref="OutgoingRequestRun"/>, with its data. Two words, so that it is returned in registers.
/// </summary>
internal readonly struct StepOutcome
{
    // Depends on the kind: a request, a response, an exception or a task.
    private readonly object? _value;

    private StepOutcome(RequestStepOutcomeKind kind, object? value)
    {
        Kind = kind;
        _value = value;
    }

    /// <summary>The request continues unchanged.</summary>
    public static StepOutcome Go => default;

    /// <summary>The request continues unchanged; <see cref="OutgoingRequestStep.Failed"/> is called if no response arrives.</summary>
    public static StepOutcome Watch => new(RequestStepOutcomeKind.Watch, null);

    public RequestStepOutcomeKind Kind { get; }

    /// <summary>
    /// The request to send; null for the current one. For <see cref="RequestStepOutcomeKind.Go"/>,
    /// <see cref="RequestStepOutcomeKind.Watch"/> and <see cref="RequestStepOutcomeKind.Again"/>.
    /// </summary>
    public OutgoingRequest? Request => (OutgoingRequest?)_value;

    /// <summary>The response. For <see cref="RequestStepOutcomeKind.Done"/>.</summary>
    public CoapResponse Response => (CoapResponse)_value!;

    /// <summary>The reason why there is no response. For <see cref="RequestStepOutcomeKind.Fail"/>.</summary>
    public Exception Exception => (Exception)_value!;

    /// <summary>The task to await. For <see cref="RequestStepOutcomeKind.Wait"/>.</summary>
    public Task<StepOutcome> Task => (Task<StepOutcome>)_value!;

    /// <summary>The task to await. For <see cref="RequestStepOutcomeKind.Converse"/>.</summary>
    public Task<CoapResponse> Conversation => (Task<CoapResponse>)_value!;

    /// <summary>Another request continues instead.</summary>
    public static StepOutcome GoWith(OutgoingRequest request) => new(RequestStepOutcomeKind.Go, request);

    /// <summary>Another request continues instead; <see cref="OutgoingRequestStep.Failed"/> is called if no response arrives.</summary>
    public static StepOutcome WatchWith(OutgoingRequest request) => new(RequestStepOutcomeKind.Watch, request);

    /// <summary>A request goes through the steps below again.</summary>
    public static StepOutcome Again(OutgoingRequest request) => new(RequestStepOutcomeKind.Again, request);

    /// <summary>The step above gets the response.</summary>
    public static StepOutcome Done(CoapResponse response) => new(RequestStepOutcomeKind.Done, response);

    /// <summary>The step above gets the failure.</summary>
    public static StepOutcome Fail(Exception exception) => new(RequestStepOutcomeKind.Fail, exception);

    /// <summary>The step decides later.</summary>
    public static StepOutcome Wait(Task<StepOutcome> task) => new(RequestStepOutcomeKind.Wait, task);

    /// <summary>The step returns a response later.</summary>
    public static StepOutcome Wait(Task<CoapResponse> conversation) => new(RequestStepOutcomeKind.Converse, conversation);
}
