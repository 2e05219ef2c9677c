using System.Runtime.CompilerServices;

// Native functions take blittable values only; what they get is exactly what is written here.
[assembly: DisableRuntimeMarshalling]
