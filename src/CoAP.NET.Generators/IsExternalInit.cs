namespace System.Runtime.CompilerServices;

/// <summary>Enables init-only properties of records on this framework.</summary>
internal static class IsExternalInit
{
}
