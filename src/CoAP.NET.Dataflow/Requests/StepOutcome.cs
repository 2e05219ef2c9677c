namespace CoAP.NET.Requests;

/// <summary>What a step of <see cref="RequestRun"/> decided, with what belongs to it. Two words, so that it is returned in registers and
/// costs no memory.</summary>
internal readonly struct StepOutcome
{
    // What the kind says: a request, a response, an exception or a task.
    private readonly object? _value;

    private StepOutcome(StepKind kind, object? value)
    {
        Kind = kind;
        _value = value;
    }

    /// <summary>The request goes on as it is.</summary>
    public static StepOutcome Go => default;

    /// <summary>The request goes on as it is; <see cref="RequestStep.Failed"/> is called when no response comes.</summary>
    public static StepOutcome Watch => new(StepKind.Watch, null);

    /// <summary>What is to be done.</summary>
    public StepKind Kind { get; }

    /// <summary>What is sent; null for the request as it is. Of <see cref="StepKind.Go"/>, <see cref="StepKind.Watch"/> and
    /// <see cref="StepKind.Again"/>.</summary>
    public OutgoingRequest? Request => (OutgoingRequest?)_value;

    /// <summary>The response. Of <see cref="StepKind.Done"/>.</summary>
    public CoapResponse Response => (CoapResponse)_value!;

    /// <summary>Why there is no response. Of <see cref="StepKind.Fail"/>.</summary>
    public Exception Exception => (Exception)_value!;

    /// <summary>What is waited for. Of <see cref="StepKind.Wait"/>.</summary>
    public Task<StepOutcome> Task => (Task<StepOutcome>)_value!;

    /// <summary>What is waited for. Of <see cref="StepKind.Converse"/>.</summary>
    public Task<CoapResponse> Conversation => (Task<CoapResponse>)_value!;

    /// <summary>Another request goes on instead.</summary>
    /// <param name="request">The request.</param>
    public static StepOutcome GoWith(OutgoingRequest request) => new(StepKind.Go, request);

    /// <summary>Another request goes on instead; <see cref="RequestStep.Failed"/> is called when no response comes.</summary>
    /// <param name="request">The request.</param>
    public static StepOutcome WatchWith(OutgoingRequest request) => new(StepKind.Watch, request);

    /// <summary>A request goes to the steps below once more.</summary>
    /// <param name="request">The request.</param>
    public static StepOutcome Again(OutgoingRequest request) => new(StepKind.Again, request);

    /// <summary>The response that the step above sees.</summary>
    /// <param name="response">The response.</param>
    public static StepOutcome Done(CoapResponse response) => new(StepKind.Done, response);

    /// <summary>The step above sees that no response comes.</summary>
    /// <param name="exception">Why.</param>
    public static StepOutcome Fail(Exception exception) => new(StepKind.Fail, exception);

    /// <summary>The step says later what is to be done.</summary>
    /// <param name="task">Ends with what is to be done.</param>
    public static StepOutcome Wait(Task<StepOutcome> task) => new(StepKind.Wait, task);

    /// <summary>The step gives a response later.</summary>
    /// <param name="conversation">Ends with the response.</param>
    public static StepOutcome Wait(Task<CoapResponse> conversation) => new(StepKind.Converse, conversation);
}
