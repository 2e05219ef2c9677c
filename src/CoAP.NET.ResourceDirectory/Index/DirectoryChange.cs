using CoAP.NET.ResourceDirectory.Registrations;

namespace CoAP.NET.ResourceDirectory.Index;

/// <summary>A change of the visible registrations.</summary>
/// <param name="Before">The registration before the change; null for none.</param>
/// <param name="After">The registration after the change; null for none.</param>
internal readonly record struct DirectoryChange(Registration? Before, Registration? After);
