namespace System.Runtime.CompilerServices;

/// <summary>Lets records have init-only properties on this framework.</summary>
internal static class IsExternalInit
{
}
