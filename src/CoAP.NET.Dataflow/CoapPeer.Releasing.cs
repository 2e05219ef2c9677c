using CoAP.NET.Channels;
using CoAP.NET.Options;

namespace CoAP.NET;

// The end of a connection by hand.
public sealed partial class CoapPeer
{
    /// <summary>
    /// Ends the connection to the peer in order (RFC 8323 section 5.5): Release is sent, what either side has under way is finished, and then the peer closes, or we do after
    /// <see cref="CoapStreamOptions.ReleaseTimeout"/>. From now on no new requests of ours go out on it. The peer is asked, not made, to do what the options say.
    /// </summary>
    /// <param name="holdOff">How long the peer is not to connect again; 0 to 16,777,215 s, rounded up to whole seconds. Null: nothing is said.</param>
    /// <param name="alternativeAddresses">Where it is to connect instead, each as host and optional port, such as <c>[2001:db8::1]:5683</c>; 1 to 255 bytes. Null: nothing is said.</param>
    /// <param name="cancellationToken">Stops waiting; the connection ends nevertheless.</param>
    /// <returns>A task that ends when the connection has ended.</returns>
    /// <exception cref="InvalidOperationException">The peer is not reached by a connection, as on coap: there is nothing to end. Or it is a session of coaps, in which nothing can be said to the peer: leave the options out.</exception>
    /// <exception cref="ArgumentOutOfRangeException">A time or an address is out of its range.</exception>
    public Task ReleaseAsync(TimeSpan? holdOff = null, IEnumerable<string>? alternativeAddresses = null, CancellationToken cancellationToken = default)
    {
        CoapChannel channel = _channel;
        if (!channel.IsConnection)
        {
            throw new InvalidOperationException($"{channel} is not reached by a connection, so there is nothing to release.");
        }

        if (!channel.IsReliable && (holdOff is not null || alternativeAddresses is not null))
        {
            throw new InvalidOperationException($"{channel} is a session over datagrams, whose end has no options. Leave holdOff and alternativeAddresses out.");
        }

        HoldOff? option = null;
        if (holdOff is { } time)
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(time, TimeSpan.Zero, nameof(holdOff));
            ArgumentOutOfRangeException.ThrowIfGreaterThan(time, TimeSpan.FromSeconds(0xff_ffff), nameof(holdOff));
            option = new HoldOff((uint)Math.Ceiling(time.TotalSeconds));
        }

        return _endpoint.ReleaseAsync(channel, option, [.. (alternativeAddresses ?? []).Select(static address => new AlternativeAddress(address))], cancellationToken);
    }
}
