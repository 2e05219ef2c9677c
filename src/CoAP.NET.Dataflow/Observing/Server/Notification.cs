namespace CoAP.NET.Observing.Server;

/// <summary>
/// A notification of a subject: one run of the handler for all its observers, and then the result (RFC 7641 section 4.2). What the
/// observers get has the same code, options and payload, and differs in token and Message ID.
/// </summary>
/// <param name="subject">The subject.</param>
/// <param name="number">The number of the run of the subject.</param>
/// <param name="change">The last known change at its start.</param>
/// <param name="sequence">Its sequence number (RFC 7641 section 4.4).</param>
internal sealed class Notification(ObservedSubject subject, long number, long change, uint sequence) : ServerExchangeObserveRole
{
    /// <summary>The format of a representation without the option.</summary>
    public const int NoFormat = -1;

    /// <summary>The format of a response without a representation (2.03 Valid): any matches.</summary>
    public const int AnyFormat = -2;

    private CoapCode _code;
    private CoapOptionCollection? _options;
    private ReadOnlyMemory<byte> _payload;

    /// <inheritdoc/>
    public override bool IsForObservers => true;

    public long Number => number;

    /// <summary>The last change that it shows.</summary>
    public long Change => change;

    /// <summary>The Content-Format of the result, or one of the constants.</summary>
    public int Format { get; private set; }

    /// <summary>Whether several clients may get its result.</summary>
    public bool IsShared => subject.Key.IsShared;

    /// <summary>Whether its result is probably no longer needed; read without the lock.</summary>
    public bool IsLate => !subject.IsRunning || number != subject.Started;

    public static int FormatOf(CoapCode code, CoapOptionCollection? options) =>
        code == CoapCode.Valid ? AnyFormat
            : options is not null && options.TryGetUInt(OptionNumber.ContentFormat, out uint format) ? (int)format : NoFormat;

    /// <summary>Adds the options of a notification to the answer of the handler. Takes the lock.</summary>
    /// <returns>Whether the answer continues.</returns>
    public bool TryAnswer(ref CoapResult result)
    {
        if (result.IsRefusal)
        {
            // This server refused it for lack of room: that is not a response of the resource.
            CoapShard shard = subject.Shard;
            shard.Enter();
            try
            {
                subject.Postpone(this);
            }
            finally
            {
                shard.ExitAndSend();
            }

            return false;
        }

        if (!result.Code.IsSuccess || result.DeclinesObserver)
        {
            // It is the last one: a response without Observe ends the registration (RFC 7641 section 3.2).
            result = WithoutObserve(result);
            return true;
        }

        if (IsLate)
        {
            subject.Shard.Environment.Counters.Add(CoapCounter.LateResponses);
            return false;
        }

        result = WithObserve(result, sequence, subject.Settings.MaxAge);
        return true;
    }

    /// <summary>
    /// Gives each observer a run of its own in place of this one, because the route no longer has one state for all. Takes the lock.
    /// </summary>
    public void Split()
    {
        CoapShard shard = subject.Shard;
        shard.Enter();
        try
        {
            subject.Split(shard.Environment.Now);
        }
        finally
        {
            shard.ExitAndSend();
        }
    }

    /// <summary>Passes the result to the observers. Takes the lock.</summary>
    public void Publish(CoapMessage response)
    {
        CoapShard shard = subject.Shard;
        shard.Enter();
        try
        {
            subject.Publish(this, response);
        }
        finally
        {
            shard.ExitAndSend();
        }
    }

    /// <summary>Keeps what the observers get.</summary>
    public void SetResult(CoapMessage response)
    {
        _code = response.Code;
        _options = response.OptionsToRead;
        _payload = response.Payload;
        Format = FormatOf(_code, _options);
    }

    public CoapMessage For(CoapToken token, CoapMessageType type) =>
        new(_code, _options!) { Token = token, Payload = _payload, Type = type };
}
