using CoAP.NET.Channels;
using CoAP.NET.Exchanges;

namespace CoAP.NET.Requests;

/// <summary>Tokens that stay, and messages that carry them. No lock may be held when it is called.</summary>
internal interface IStandingPort
{
    /// <summary>Reserves a token towards a peer.</summary>
    StandingRequest Open(CoapChannel channel, IStandingOwner owner);

    /// <summary>Gives a token up.</summary>
    void Close(StandingRequest request);

    /// <summary>Sends a message.</summary>
    /// <returns>Why it could not be sent; null when it was.</returns>
    CoapException? Send(CoapTransmission transmission);

    /// <summary>Sends no more copies of a message.</summary>
    void Stop(CoapTransmission transmission);
}
