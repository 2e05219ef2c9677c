namespace CoAP.NET.Shard;

/// <summary>
/// One reusable message per thread for answers. Only the stages may see such a message, between composing and encoding it. If a block of
/// the application is linked in between, or any code keeps the message, it is not lent, and becomes ordinary garbage.
/// </summary>
internal static class SpareMessage
{
    private static readonly CoapCode s_poison = new(7, 31);
    private static readonly byte[] s_givenBack = "given back"u8.ToArray();
    private static readonly CoapToken s_poisonToken = new(s_givenBack);

    [ThreadStatic]
    private static CoapMessage? t_spare;

    /// <summary>For tests: whether returned messages are overwritten instead of reused, to reveal code that still reads one.</summary>
    public static bool Poisons { get; set; }

    /// <summary>Takes a message in its initial state. It does not return unless <see cref="CoapMessage.IsLent"/> is set.</summary>
    /// <param name="code">The code.</param>
    /// <param name="shared">The options, shared with others; null for none.</param>
    public static CoapMessage Take(CoapCode code, CoapOptionCollection? shared)
    {
        CoapMessage message = t_spare ?? new CoapMessage();
        t_spare = null;
        message.Renew(code, shared);
        return message;
    }

    /// <summary>Returns a lent message. Called after its encoding, by code that does not use it again.</summary>
    public static void GiveBack(CoapMessage message)
    {
        if (!message.IsLent)
        {
            return;
        }

        // Keeps nothing of the answer alive.
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
