namespace CoAP.NET.Hosting;

internal enum ConfigurationKeyShape
{
    Value,

    List,

    /// <summary>Items with keys of their own.</summary>
    Items,
}
