using System.Runtime.CompilerServices;

// Native functions take blittable values only.
[assembly: DisableRuntimeMarshalling]
