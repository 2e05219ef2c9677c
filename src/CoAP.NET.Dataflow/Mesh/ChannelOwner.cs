using CoAP.NET.Blockwise;
using CoAP.NET.Messaging;

namespace CoAP.NET.Mesh;

/// <summary>Asks the stages whether a channel may be forgotten. What Exchanges keeps pins its channel, so Messaging alone decides.</summary>
internal sealed class ChannelOwner(MessageLayer messages, BodyLayer bodies, CoapEnvironment environment) : IChannelOwner
{
    public bool TryForget(CoapChannel channel)
    {
        if (!MessageLayer.CanForget(channel, environment.Now))
        {
            return false;
        }

        messages.Forget(channel);
        bodies.Forget(channel);
        return true;
    }
}
