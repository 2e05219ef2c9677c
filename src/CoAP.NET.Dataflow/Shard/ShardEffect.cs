using CoAP.NET.Mesh;
using CoAP.NET.Exchanges;

namespace CoAP.NET.Shard;

/// <summary>Something that was decided under the lock of a shard and is carried out after it was released. Made
/// only by its own methods, so that what it holds is what its kind says.</summary>
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

    /// <summary>What is to be done.</summary>
    public ShardEffectKind Kind { get; }

    /// <summary>Who goes on.</summary>
    public IAfterRelease Continuation => (IAfterRelease)_subject!;

    /// <summary>What is sent, or taken back.</summary>
    public CoapTransmission Transmission => (CoapTransmission)_subject!;

    /// <summary>What is served, or answered.</summary>
    public CoapExchange Exchange => (CoapExchange)_subject!;

    /// <summary>The answer; null for none.</summary>
    public CoapResult? Result => (CoapResult?)_detail;

    /// <summary>What failed.</summary>
    public PendingRequest Request => (PendingRequest)_subject!;

    /// <summary>Why it failed.</summary>
    public CoapException Error => (CoapException)_detail!;

    public static ShardEffect GoOn(IAfterRelease who) => new(ShardEffectKind.GoOn, who);

    public static ShardEffect Send(CoapTransmission transmission) => new(ShardEffectKind.Send, transmission);

    public static ShardEffect Cancel(CoapTransmission transmission) => new(ShardEffectKind.Cancel, transmission);

    public static ShardEffect Serve(CoapExchange exchange) => new(ShardEffectKind.Serve, exchange);

    public static ShardEffect Answer(CoapExchange exchange, CoapResult? result) => new(ShardEffectKind.Answer, exchange, result);

    public static ShardEffect Tell(PendingRequest request, CoapException error) => new(ShardEffectKind.Tell, request, error);
}
