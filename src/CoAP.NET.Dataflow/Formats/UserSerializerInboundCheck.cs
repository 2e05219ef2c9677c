namespace CoAP.NET.Formats;

/// <summary>
/// Behind the inbound half of a Serializer of a user: what it gives is checked, so that a mistake in it is one clear error in the log for
/// each item, and not one somewhere above.
/// </summary>
internal sealed class UserSerializerInboundCheck(CoapEnvironment environment)
    : InlineBlock<CoapInbound, CoapInbound>(environment.Counters, environment.Logger)
{
    internal override void Process(CoapInbound item)
    {
        if (item.Channel is null)
        {
            throw new InvalidOperationException(
                "The Serializer returned an item without a channel. Make items by CoapStageContext.Received and Malformed.");
        }

        if (item.Kind is not (CoapInboundKind.Message or CoapInboundKind.FormatError)
            || (item.Kind == CoapInboundKind.Message && item.Message is null))
        {
            throw new InvalidOperationException(
                $"The Serializer returned {item.Kind} without a message. Make items by CoapStageContext.Received and Malformed.");
        }

        Offer(item);
    }
}
