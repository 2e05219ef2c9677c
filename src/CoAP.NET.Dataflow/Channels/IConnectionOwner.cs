namespace CoAP.NET.Channels;

/// <summary>Who is told that a connection has nothing under way any more that it waits for.</summary>
internal interface IConnectionOwner
{
    /// <summary>All requests that were waited for are answered. Called by whoever answered the last one, without any lock; also when nobody waits any more.</summary>
    /// <param name="channel">The channel of the connection.</param>
    void OnDrained(CoapChannel channel);
}
