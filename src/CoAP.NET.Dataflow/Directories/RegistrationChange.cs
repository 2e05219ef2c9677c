namespace CoAP.NET.Directories;

/// <summary>What is registered from now on; null for what stays as it is.</summary>
internal sealed record RegistrationChange(string? Base, IEnumerable<CoapLink>? Links);
