using CoAP.NET.Blockwise;
using CoAP.NET.Blockwise.Server;

namespace CoAP.NET.Exchanges;

/// <summary>Q-Block1 and Q-Block2 (RFC 9177), which are a package of their own.</summary>
internal abstract class QBlockFeature
{
    /// <summary>Whether the options are used with all peers, and not only with those on secured channels.</summary>
    public abstract bool AllowsUnsecured { get; }

    public abstract QBlockServer MakeServer(CoapShard shard, RequestBodyStore requests, BlockwiseResponder responder);

    public abstract OutgoingRequestStep MakeStep(CoapEnvironment environment, RequestSender sender, RequestTags tags);
}
