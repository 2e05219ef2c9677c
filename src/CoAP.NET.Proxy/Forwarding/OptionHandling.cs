namespace CoAP.NET.Proxy.Forwarding;

/// <summary>What a proxy does with an option.</summary>
internal enum OptionHandling : byte
{
    /// <summary>Sends it on as it is.</summary>
    Forward,

    /// <summary>Acts on it, and sends none or one of its own.</summary>
    Consume,

    /// <summary>Sends nothing on: the option is unsafe to forward, and this proxy does not know it.</summary>
    Refuse,
}
