namespace CoAP.NET.Proxy.Forwarding;

/// <summary>How a proxy handles an option.</summary>
internal enum OptionHandling : byte
{
    /// <summary>Forwards it unchanged.</summary>
    Forward,

    /// <summary>Processes it, and sends none or one of its own.</summary>
    Consume,

    /// <summary>Refuses the message: the option is unsafe to forward, and this proxy does not know it.</summary>
    Refuse,
}
