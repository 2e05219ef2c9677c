namespace CoAP.NET.Hosting.Configuration;

internal enum ConfigurationKeyShape
{
    Value,

    List,

    /// <summary>Items with keys of their own.</summary>
    Items,
}
