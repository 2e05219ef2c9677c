namespace CoAP.NET.Exchanges;

/// <summary>
/// Evaluates the Echo option of a request (RFC 9175 section 2.3). A value of this endpoint shows that the peer receives at its address, and
/// that the request is newer than the value. Any other value shows nothing.
/// </summary>
internal static class EchoVerification
{
    /// <summary>Records the result for the address of a message's peer. The caller must hold no lock.</summary>
    /// <param name="shard">The shard, for the guard and the clock.</param>
    /// <param name="channel">The peer.</param>
    /// <param name="options">The options of the message.</param>
    /// <returns>The age of the value; null without a value of this endpoint.</returns>
    public static TimeSpan? Verify(CoapShard shard, CoapChannel channel, CoapOptionCollection options)
    {
        long now = shard.Environment.Now;
        if (!options.TryGetValue(OptionNumber.Echo, out ReadOnlySpan<byte> value)
            || !shard.Guard.Echo.TryGetAge(value, channel, now, out TimeSpan age))
        {
            return null;
        }

        TimeSpan lifetime = shard.Environment.Limits.Peers.VerificationLifetime;
        if (age < lifetime && !channel.Transport.IsReliable)
        {
            shard.Guard.Verify(channel, now + (lifetime - age).Ticks);
        }

        return age;
    }
}
