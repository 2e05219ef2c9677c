using CoAP.NET.Blockwise;
using CoAP.NET.Blockwise.Server;
using CoAP.NET.Exchanges;
using CoAP.NET.Execution;
using CoAP.NET.QBlock.Client;
using CoAP.NET.QBlock.Server;

namespace CoAP.NET.QBlock;

/// <summary>Turns on Q-Block1 and Q-Block2 (RFC 9177).</summary>
public static class CoapQBlockExtensions
{
    /// <summary>
    /// Lets an endpoint transfer bodies with Q-Block1 and Q-Block2 (RFC 9177): those of its own Non-confirmable requests, and those of
    /// peers that ask for it. They go as bursts of Non-confirmable messages, and only lost ones are sent again.
    /// </summary>
    /// <remarks>
    /// Designed for networks with high loss or traffic in one direction only, for example during an attack.
    /// </remarks>
    /// <param name="options">The options of an endpoint, client or server.</param>
    /// <param name="use">The peers with which they are used. Default: those on secured channels.</param>
    /// <returns>The options.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="use"/> is not defined.</exception>
    public static CoapEndpointOptions UseQBlock(this CoapEndpointOptions options, CoapQBlockPolicy use = CoapQBlockPolicy.Secured)
    {
        ArgumentNullException.ThrowIfNull(options);
        options.QBlock = use switch
        {
            CoapQBlockPolicy.Off => null,
            CoapQBlockPolicy.Secured => new QBlockFactory(allowsUnsecured: false),
            CoapQBlockPolicy.AllowUnsecured => new QBlockFactory(allowsUnsecured: true),
            _ => throw new ArgumentOutOfRangeException(nameof(use), use, "The value is not a member of CoapQBlockPolicy."),
        };
        return options;
    }
}

/// <summary>What the endpoint creates for Q-Block1 and Q-Block2.</summary>
/// <param name="allowsUnsecured">Whether the options are used with all peers.</param>
internal sealed class QBlockFactory(bool allowsUnsecured) : QBlockFeature
{
    public override bool AllowsUnsecured => allowsUnsecured;

    public override QBlockServer MakeServer(CoapShard shard, RequestBodyStore requests, BlockwiseResponder responder) =>
        new QBlockServing(shard, requests, responder);

    public override OutgoingRequestStep MakeStep(CoapEnvironment environment, RequestSender sender, RequestTags tags) =>
        new QBlockRequestStep(environment, sender, tags);
}
