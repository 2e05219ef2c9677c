namespace CoAP.NET.ResourceDirectory;

/// <summary>A change of what can be found.</summary>
/// <param name="Before">What a registration was; null for nothing.</param>
/// <param name="After">What it is; null for nothing.</param>
internal readonly record struct DirectoryChange(Registration? Before, Registration? After);
