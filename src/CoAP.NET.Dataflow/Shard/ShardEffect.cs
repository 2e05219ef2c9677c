using CoAP.NET.Mesh;
using CoAP.NET.Exchanges;

namespace CoAP.NET.Shard;

/// <summary>
/// An effect of a decision under the lock of a shard, to carry out after its release. Only its own methods create it, so its content
/// matches its kind.
/// </summary>
internal readonly struct ShardEffect
{
    private readonly object? _subject;
    private readonly object? _detail;

    private ShardEffect(ShardEffectKind kind, object? subject = null, object? detail = null)
    {
        Kind = kind;
        _subject = subject;
        _detail = detail;
    }

    /// <summary>The kind of effect.</summary>
    public ShardEffectKind Kind { get; }

    /// <summary>The object to call.</summary>
    public IAfterRelease Continuation => (IAfterRelease)_subject!;

    /// <summary>The message to send or cancel.</summary>
    public CoapTransmission Transmission => (CoapTransmission)_subject!;

    /// <summary>The exchange to serve or answer.</summary>
    public CoapExchange Exchange => (CoapExchange)_subject!;

    /// <summary>The answer; null for none.</summary>
    public CoapResult? Result => (CoapResult?)_detail;

    /// <summary>The failed request.</summary>
    public PendingRequest Request => (PendingRequest)_subject!;

    /// <summary>The error.</summary>
    public CoapException Error => (CoapException)_detail!;

    public static ShardEffect GoOn(IAfterRelease who) => new(ShardEffectKind.GoOn, who);

    public static ShardEffect Send(CoapTransmission transmission) => new(ShardEffectKind.Send, transmission);

    public static ShardEffect Cancel(CoapTransmission transmission) => new(ShardEffectKind.Cancel, transmission);

    public static ShardEffect Serve(CoapExchange exchange) => new(ShardEffectKind.Serve, exchange);

    public static ShardEffect Answer(CoapExchange exchange, CoapResult? result) => new(ShardEffectKind.Answer, exchange, result);

    public static ShardEffect Tell(PendingRequest request, CoapException error) => new(ShardEffectKind.Tell, request, error);
}
