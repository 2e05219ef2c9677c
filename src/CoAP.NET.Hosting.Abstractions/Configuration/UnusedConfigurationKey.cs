namespace CoAP.NET.Hosting.Configuration;

/// <summary>A key or section of the configuration without effect.</summary>
/// <param name="Path">Its path, safe to log.</param>
/// <param name="Reason">Why it has no effect, or what was probably meant, in sentences.</param>
internal readonly record struct UnusedConfigurationKey(string Path, string Reason);
