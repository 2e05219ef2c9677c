namespace CoAP.NET.ResourceDirectory.Clients;

/// <summary>The new values of a registration; null for unchanged ones.</summary>
internal sealed record RegistrationUpdateContent(string? Base, IEnumerable<CoapLink>? Links);
