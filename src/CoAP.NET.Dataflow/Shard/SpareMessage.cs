namespace CoAP.NET.Shard;

/// <summary>
/// One message for each thread, which answers go out by again and again. Only the stages may see such a message, between composing and
/// encoding it: where a user linked a block of his own in between, or anybody keeps the message, it is not lent, and is garbage in the end
/// as any other.
/// </summary>
internal static class SpareMessage
{
    private static readonly CoapCode s_poison = new(7, 31);
    private static readonly byte[] s_givenBack = "given back"u8.ToArray();
    private static readonly CoapToken s_poisonToken = new(s_givenBack);

    [ThreadStatic]
    private static CoapMessage? t_spare;

    /// <summary>
    /// For tests: whether messages that come back are spoilt instead of being used again, so that whoever still looks at one is found.
    /// </summary>
    public static bool Poisons { get; set; }

    /// <summary>A message like a new one. It does not come back unless <see cref="CoapMessage.IsLent"/> is set.</summary>
    /// <param name="code">The code.</param>
    /// <param name="shared">The options, shared with others; null for none.</param>
    public static CoapMessage Take(CoapCode code, CoapOptionCollection? shared)
    {
        CoapMessage message = t_spare ?? new CoapMessage();
        t_spare = null;
        message.Renew(code, shared);
        return message;
    }

    /// <summary>Takes a message back if it was lent. Called once it was encoded, by who will not look at it again.</summary>
    public static void GiveBack(CoapMessage message)
    {
        if (!message.IsLent)
        {
            return;
        }

        // Nothing of the answer is kept alive.
        message.Renew(default, null);
        if (Poisons)
        {
            message.Code = s_poison;
            message.MessageId = 0xdead;
            message.Token = s_poisonToken;
            message.Payload = s_givenBack;
            return;
        }

        t_spare = message;
    }
}
