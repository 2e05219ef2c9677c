namespace CoAP.NET.Hosting.Configuration;

/// <summary>Whether a configuration key has one value, a list, or items with keys of their own.</summary>
internal enum ConfigurationKeyShape
{
    Value,

    List,

    /// <summary>Items with keys of their own.</summary>
    Items,
}
