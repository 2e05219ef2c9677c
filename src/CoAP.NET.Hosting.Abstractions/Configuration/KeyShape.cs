namespace CoAP.NET.Hosting;

/// <summary>What a key has.</summary>
internal enum KeyShape
{
    /// <summary>A single value.</summary>
    Value,

    /// <summary>Several values.</summary>
    List,

    /// <summary>Items with keys of their own.</summary>
    Items,
}
