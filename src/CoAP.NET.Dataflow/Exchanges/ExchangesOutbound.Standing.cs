using CoAP.NET.Channels;

namespace CoAP.NET.Exchanges;

public sealed partial class ExchangesOutbound
{
    /// <summary>Sends a message that carries the token of a standing request. What becomes of it is told to the owner of the request. No lock may be held.</summary>
    /// <param name="transmission">The message.</param>
    /// <returns>Why it could not be sent; null when it was.</returns>
    internal CoapException? Send(CoapTransmission transmission)
    {
        CoapChannel channel = transmission.Channel;
        if (_state.IsStopped)
        {
            return new CoapException("The endpoint was stopped; nothing can be observed any more. Make a new one.");
        }

        if (IsTooLarge(transmission.Message, channel, out long size))
        {
            return TooLarge("registration", channel, size, "Shorten the request");
        }

        Counters.Add(CoapCounter.RequestsSent);
        return Offer(new CoapOutbound { Channel = channel, Message = transmission.Message, Transmission = transmission })
            ? null
            : new CoapException($"The registration at {channel} was declined by a block that was linked into the pipeline.");
    }

    /// <summary>Sends a message that a state machine of ours made, such as a notification. No lock may be held.</summary>
    internal void SendOwn(CoapTransmission transmission)
    {
        bool isTaken = Offer(new CoapOutbound { Channel = transmission.Channel, Message = transmission.Message, Transmission = transmission });
        _observers.OnOffered(transmission, isTaken);
    }

    /// <summary>Has Messaging send no more copies of a message of ours and free its place. No lock may be held.</summary>
    internal void Cancel(CoapTransmission transmission) =>
        Offer(new CoapOutbound { Channel = transmission.Channel, Kind = CoapOutboundKind.Cancel, Transmission = transmission });

    /// <summary>Sends an order to Messaging. No lock may be held.</summary>
    internal void Order(CoapOutbound order) => Offer(order);
}
