using CoAP.NET.Options;

namespace CoAP.NET.Exchanges;

/// <summary>
/// What the Echo option of a request shows (RFC 9175 section 2.3): a value of ours that the peer receives at its address, and that the
/// request is younger than the value. Any other says nothing.
/// </summary>
internal static class EchoVerification
{
    /// <summary>Notes what the Echo of a request shows. No lock may be held.</summary>
    /// <param name="shard">For the guard and the clock.</param>
    /// <param name="exchange">The request.</param>
    public static void Note(CoapShard shard, CoapExchange exchange)
    {
        if ((exchange.Special & SpecialOptions.Echo) == 0)
        {
            return;
        }

        if (Verify(shard, exchange.Channel, exchange.Request.Options) is { } age)
        {
            exchange.Request.EchoAge = age;
        }
    }

    /// <summary>Notes what the Echo of a message shows of the address of its peer. No lock may be held.</summary>
    /// <param name="shard">For the guard and the clock.</param>
    /// <param name="channel">The peer.</param>
    /// <param name="options">The options of the message.</param>
    /// <returns>How old the value is; null where there is none of ours.</returns>
    public static TimeSpan? Verify(CoapShard shard, CoapChannel channel, CoapOptionCollection options)
    {
        long now = shard.Environment.Now;
        if (!options.TryGetValue(OptionNumber.Echo, out ReadOnlySpan<byte> value)
            || !shard.Guard.Echo.TryGetAge(value, channel, now, out TimeSpan age))
        {
            return null;
        }

        TimeSpan lifetime = shard.Environment.Limits.AddressVerificationLifetime;
        if (age < lifetime && !channel.Transport.IsReliable)
        {
            shard.Guard.Verify(channel, now + (lifetime - age).Ticks);
        }

        return age;
    }
}
