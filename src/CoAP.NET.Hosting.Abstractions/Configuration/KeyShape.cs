namespace CoAP.NET.Hosting;

internal enum KeyShape
{
    Value,

    List,

    /// <summary>Items with keys of their own.</summary>
    Items,
}
